// The package reads its schema beside itself and has a native part: Next must leave it as it is.
// biome-ignore lint/style/noDefaultExport: Next asks for it.
export default { serverExternalPackages: ["crm-integrations"] };
