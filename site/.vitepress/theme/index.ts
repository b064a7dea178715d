import theme from "vitepress/theme-without-fonts";
import "./style.css";

// biome-ignore lint/style/noDefaultExport: VitePress reads it.
export default theme;
