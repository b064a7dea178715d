import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { programCommandLine } from "../cli/child-process.ts";
import { command } from "../cli/command.ts";
import { UsageError } from "../cli/errors.ts";
import type { ProgramProcess } from "../cli/program-process.ts";
import { parseAddress, stringSetting } from "../cli/setting.ts";

/** Folders that the unit hides from the service. */
const hiddenFolders = /^\/(?:home|root|run\/user|tmp|var\/tmp)\//;

export const serviceCommand = command({
  name: "service",
  summary: "Print a systemd unit that runs the server sandboxed, as its own user",
  settings: {
    data: stringSetting("DIR", "data folder below /var/lib", { default: "/var/lib/crm-integrations" }),
    listen: stringSetting("HOST:PORT", "address to listen on", { default: "127.0.0.1:8080" }),
    backupDir: stringSetting("DIR", "folder for scheduled backups, which the service can write to"),
    out: stringSetting("FILE", "file for the unit (default: stdout)"),
    program: stringSetting("PATH", "path of the program (default: this program)"),
  },
  examples: [
    "sudo crm-integrations service --out /etc/systemd/system/crm-integrations.service",
    "sudo systemctl enable --now crm-integrations",
  ],
  async run({ data, listen, program, backupDir, out }, _operands, thisProgram) {
    const { port } = parseAddress(listen, "--listen");
    const command = program === undefined ? installedCommand(thisProgram) : [resolve(program)];
    const text = unit({
      state: stateDirectory(resolve(data)),
      listen,
      port,
      backupDir: backupDir === undefined ? undefined : assertVisible(resolve(backupDir)),
      command: command.map(assertVisible),
    });
    if (out === undefined) thisProgram.stdout.write(text);
    else writeFileSync(out, text);
  },
});

/** @throws UsageError if the program runs from source, which depends on the current folder */
function installedCommand(thisProgram: ProgramProcess): readonly string[] {
  const command = programCommandLine(thisProgram);
  if (command.at(-1)?.endsWith(".ts") !== true) return command;
  throw new UsageError("A service can't run the source. Select a built program with --program PATH.");
}

/** @throws UsageError if the unit hides the path or systemd can't start it */
function assertVisible(path: string): string {
  if (/["'\\$]/.test(path))
    throw new UsageError(`systemd can't start a path with a quote, a backslash or a $: ${path}`);
  if (!hiddenFolders.test(path)) return path;
  throw new UsageError(`The service can't access ${path}. Install the program elsewhere, such as in /usr/local/bin.`);
}

/** Returns the folder as systemd's StateDirectory, which systemd creates for the service. @throws UsageError */
function stateDirectory(data: string): string {
  const [, state] = /^\/var\/lib\/((?!private(?:\/|$))[\w.@+-]+(?:\/[\w.@+-]+)*)$/.exec(data) ?? [];
  if (state !== undefined) return state;
  throw new UsageError(
    `--data must be a folder below /var/lib with letters, digits and . _ @ + - only, not "${data}".`,
  );
}

/** Quotes an argument of a command line for systemd. */
function quoteArgument(text: string): string {
  if (/[\p{Cc}]/u.test(text)) throw new UsageError("The command of a service can't contain control characters.");
  const plain = text.replaceAll("%", "%%").replaceAll("$", "$$$$");
  return /^[\w@%:.,/=+-]+$/.test(plain) ? plain : `"${plain.replace(/["\\]/g, "\\$&")}"`;
}

type Unit = {
  readonly state: string;
  readonly listen: string;
  readonly port: number;
  readonly backupDir: string | undefined;
  readonly command: readonly string[];
};

/**
 * Returns the unit. systemd creates the data folder for a dynamic user that can't write anywhere else. It restarts a
 * server that can't start, such as without its database, until it can. Invalid usage ends the restarts.
 */
function unit({ state, listen, port, backupDir, command }: Unit): string {
  const backups = backupDir === undefined ? [] : ["--backup-dir", backupDir];
  const line = [...command, "serve", "--data", `/var/lib/${state}`, "--listen", listen, ...backups]
    .map(quoteArgument)
    .join(" ");
  // Ports below 1024 need a capability.
  const capabilities = port > 0 && port < 1024 ? "CAP_NET_BIND_SERVICE" : "";
  return `[Unit]
Description=crm-integrations, the HTTP API of a CRM
After=network.target
StartLimitIntervalSec=0

[Service]
ExecStart=${line}
Restart=on-failure
RestartSec=1
RestartPreventExitStatus=2
TimeoutStopSec=30
DynamicUser=yes
StateDirectory=${state}
StateDirectoryMode=0700
${backupDir === undefined ? "" : `ReadWritePaths=${quoteArgument(backupDir)}\n`}UMask=0077
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
CapabilityBoundingSet=${capabilities}
AmbientCapabilities=${capabilities}
SystemCallArchitectures=native
SystemCallFilter=@system-service
LimitNOFILE=65536

[Install]
WantedBy=multi-user.target
`;
}
