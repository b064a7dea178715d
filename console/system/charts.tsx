export type Minute = {
  readonly at: string;
  readonly count: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  readonly averageMs: number;
};

/** Periods of the same length, up to now. */
type Periods = { readonly count: number; readonly ms: number };

export const lastHour: Periods = { count: 60, ms: 60_000 };
export const lastDay: Periods = { count: 24, ms: 3_600_000 };
const [barWidth, height] = [5, 60];
/** The height of the smallest visible bar. */
const minHeight = 3;

type ChartProps = {
  readonly title: string;
  /** The latest value, for example `12 requests`. */
  readonly summary: string;
  readonly values: readonly number[];
  /** The greatest of these has the full height. */
  readonly scale?: readonly number[];
};

/** A bar for each value. */
export function Chart({ title, summary, values, scale = values }: ChartProps) {
  const max = Math.max(...scale, 1);
  return (
    <figure class="chart">
      <figcaption>
        {title}: <strong>{summary}</strong>
      </figcaption>
      <svg viewBox={`0 0 ${values.length * barWidth} ${height}`} aria-hidden="true" preserveAspectRatio="none">
        {values.map((value, index) => {
          const barHeight = value === 0 ? 0 : Math.max(minHeight, (value / max) * height);
          return (
            <rect key={index} x={index * barWidth} y={height - barHeight} width={barWidth - 1} height={barHeight} />
          );
        })}
      </svg>
    </figure>
  );
}

/** Returns one value for each of the periods, oldest first. Periods without requests have 0. */
export function byPeriod<T extends { readonly at: string }>(
  requests: readonly T[],
  now: number,
  { count, ms }: Periods,
  select: (request: T) => number,
): number[] {
  const values = new Array<number>(count).fill(0);
  for (const each of requests) {
    const age = Math.floor(now / ms) - Math.floor(Date.parse(each.at) / ms);
    if (age >= 0 && age < count) values[count - 1 - age] = select(each);
  }
  return values;
}
