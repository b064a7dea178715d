import { resolve } from "node:path";
import { command } from "../command.ts";
import { word } from "../setting.ts";

export const serviceCommand = command({
  name: "service",
  summary: "Print a systemd unit that serves as a user of its own, shut off from the rest of the machine",
  settings: {
    data: word("DIR", "the folder of the database, under /var/lib", { default: "/var/lib/crm-integrations" }),
    listen: word("HOST:PORT", "where to listen", { default: "127.0.0.1:8080" }),
    program: word("PATH", "where the program is (default: this one)"),
  },
  examples: [
    "crm-integrations service | sudo tee /etc/systemd/system/crm-integrations.service",
    "sudo systemctl enable --now crm-integrations",
  ],
  async run({ data, listen, program = resolve(process.execPath) }) {
    process.stdout.write(unit({ data: resolve(data), listen, program }));
  },
});

/** The folder is made by systemd for a user that exists only while the service runs; nothing else can be written. */
function unit({ data, listen, program }: { data: string; listen: string; program: string }): string {
  const state = data.replace(/^\/var\/lib\//, "");
  return `[Unit]
Description=crm-integrations, the HTTP API of a CRM
After=network.target

[Service]
ExecStart=${program} serve --data ${data} --listen ${listen}
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
CapabilityBoundingSet=
SystemCallArchitectures=native
SystemCallFilter=@system-service
LimitNOFILE=65536

[Install]
WantedBy=multi-user.target
`;
}
