// The package reads files from its own folder and has a native addon, so Next.js must not bundle it.
// biome-ignore lint/style/noDefaultExport: Next.js requires it.
export default { serverExternalPackages: ["crm-integrations"] };
