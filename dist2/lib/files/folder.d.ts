/**
 * The folder is there, and so are those above it; what had to be made is for its owner only. Answers the folder and what
 * had to be made above it. Node's own way never ends where the system lets nobody make one, as in /proc.
 */
export declare function makeMissing(folder: string): readonly string[];
