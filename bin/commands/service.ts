import { resolve } from "node:path";
import { command } from "../cli/command.ts";
import { ownCommand } from "../cli/own-command.ts";
import { stringSetting } from "../cli/setting.ts";
import { UsageError } from "../cli/usage.ts";
import { addressOf } from "../server/address.ts";

/** Folders that the unit hides from what it runs. */
const hidden = /^\/(?:home|root|run\/user|tmp|var\/tmp)\//;

export const serviceCommand = command({
  name: "service",
  summary: "Print a systemd unit that serves as a user of its own, shut off from the rest of the machine",
  settings: {
    data: stringSetting("DIR", "the folder of the database, under /var/lib", { default: "/var/lib/crm-integrations" }),
    listen: stringSetting("HOST:PORT", "where to listen", { default: "127.0.0.1:8080" }),
    program: stringSetting("PATH", "where the program is (default: this one)"),
  },
  examples: [
    "crm-integrations service | sudo tee /etc/systemd/system/crm-integrations.service",
    "sudo systemctl enable --now crm-integrations",
  ],
  async run({ data, listen, program }) {
    const { port } = addressOf(listen, "--listen");
    const words = program === undefined ? ownWords() : [resolve(program)];
    process.stdout.write(unit({ state: stateOf(resolve(data)), listen, port, words: words.map(visible) }));
  },
});

/** The words that start this program from anywhere. @throws UsageError where none do */
function ownWords(): readonly string[] {
  const words = ownCommand();
  // The source runs with the packages of the folder that it is started in.
  if (words.at(-1)?.endsWith(".ts") !== true) return words;
  throw new UsageError("This is the program's source, which no service runs. Name what is built: --program PATH.");
}

/** @throws UsageError where the unit would hide it, or systemd takes no such name */
function visible(path: string): string {
  if (/["'\\$]/.test(path))
    throw new UsageError(`systemd starts nothing with a quote, a \\ or a $ in its path: ${path}`);
  if (!hidden.test(path)) return path;
  throw new UsageError(`The service could not see ${path}: install it elsewhere, such as /usr/local/bin.`);
}

/** The folder as systemd is told of it, which makes it for the service's user. @throws UsageError */
function stateOf(data: string): string {
  const [, state] = /^\/var\/lib\/((?!private(?:\/|$))[\w.@+-]+(?:\/[\w.@+-]+)*)$/.exec(data) ?? [];
  if (state !== undefined) return state;
  throw new UsageError(
    `--data takes a folder below /var/lib, of letters, digits and . _ @ + - only, not "${data}": systemd makes it.`,
  );
}

/** A word of a command line as systemd reads it. */
function quoted(text: string): string {
  if (/[\p{Cc}]/u.test(text)) throw new UsageError("The words of a service have no control characters.");
  const plain = text.replaceAll("%", "%%").replaceAll("$", "$$$$");
  return /^[\w@%:.,/=+-]+$/.test(plain) ? plain : `"${plain.replace(/["\\]/g, "\\$&")}"`;
}

type Unit = {
  readonly state: string;
  readonly listen: string;
  readonly port: number;
  readonly words: readonly string[];
};

/** The folder is made by systemd for a user that exists only while the service runs; nothing else can be written. */
function unit({ state, listen, port, words }: Unit): string {
  const line = [...words, "serve", "--data", `/var/lib/${state}`, "--listen", listen].map(quoted).join(" ");
  // What listens below 1024 needs a right for it.
  const rights = port > 0 && port < 1024 ? "CAP_NET_BIND_SERVICE" : "";
  return `[Unit]
Description=crm-integrations, the HTTP API of a CRM
After=network.target

[Service]
ExecStart=${line}
Restart=on-failure
RestartSec=1
TimeoutStopSec=30
DynamicUser=yes
StateDirectory=${state}
StateDirectoryMode=0700
UMask=0077
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectControlGroups=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictSUIDSGID=yes
LockPersonality=yes
CapabilityBoundingSet=${rights}
AmbientCapabilities=${rights}
SystemCallArchitectures=native
SystemCallFilter=@system-service
LimitNOFILE=65536

[Install]
WantedBy=multi-user.target
`;
}
