export type Minute = {
  readonly at: string;
  readonly count: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  readonly averageMs: number;
};

const minutes = 60;
const minuteMs = 60_000;
const [barWidth, height] = [5, 60];

type ChartProps = {
  readonly title: string;
  /** The latest value, for example `12 requests`. */
  readonly summary: string;
  readonly values: readonly number[];
};

/** A bar for each minute of the last hour. */
export function Chart({ title, summary, values }: ChartProps) {
  const max = Math.max(...values, 1);
  return (
    <figure class="chart">
      <figcaption>
        {title}: <strong>{summary}</strong>
      </figcaption>
      <svg viewBox={`0 0 ${minutes * barWidth} ${height}`} aria-hidden="true" preserveAspectRatio="none">
        {values.map((value, index) => {
          const barHeight = value === 0 ? 0 : Math.max(1, (value / max) * height);
          return (
            <rect key={index} x={index * barWidth} y={height - barHeight} width={barWidth - 1} height={barHeight} />
          );
        })}
      </svg>
    </figure>
  );
}

/** Returns one value for each of the last 60 minutes, oldest first. Minutes without requests have 0. */
export function byMinute(requests: readonly Minute[], now: number, select: (minute: Minute) => number): number[] {
  const values = new Array<number>(minutes).fill(0);
  for (const each of requests) {
    const age = Math.floor(now / minuteMs) - Math.floor(Date.parse(each.at) / minuteMs);
    if (age >= 0 && age < minutes) values[minutes - 1 - age] = select(each);
  }
  return values;
}
