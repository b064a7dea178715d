/** A file of the reference page: what it is, and its bytes. */
export type PageFile = {
    readonly type: string;
    readonly body: string | Uint8Array<ArrayBuffer>;
};
/** Everything comes from the server itself, scripts and styles from files only; nobody may frame the page. */
export declare const pagePolicy: string;
/** The reference of the API: Swagger UI over the description, both found beside the page. */
export declare const page: PageFile;
/** A file that the page loads, by its name; undefined where it has none of that name. */
export declare function pageFile(name: string): PageFile | undefined;
