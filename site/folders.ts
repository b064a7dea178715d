/** The pages as VitePress reads them. `npm run site` writes them. */
export const pagesFolder = "dist/site-pages";

/** The site: files for any web server, below `/docs/`. */
export const siteFolder = "dist/site";

/** The version and the sidebar, for the configuration of VitePress. */
export const navigationFile = "dist/site-navigation.json";

/** The site in one file, which the program serves. */
export const packedSite = "dist/docs-site.pack";
