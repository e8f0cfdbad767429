import type { StatusPageWrite } from "#contract/status-pages/pages.ts";

export type Colors = NonNullable<StatusPageWrite["themeColors"]>;
export type Theme = keyof Colors;
export type ColorName = keyof Colors[Theme];

export const themes = ["light", "dark"] as const satisfies readonly Theme[];

/** As pages are without colours of their own: what one begins with who wants others. */
export const ourColors: Colors = {
  light: {
    bodyBackgroundColor: "#f3f5f8",
    headerBackgroundColor: "#ffffff",
    headerFontColor: "#1a2129",
    titleFontColor: "#1a2129",
    bodyFontColor: "#1a2129",
    bodyFontColorMuted: "#566270",
    navigationFontColor: "#566270",
    linkFontColor: "#0b63c5",
    cardBackgroundColor: "#ffffff",
    borderColor: "#dfe3e9",
    primaryButtonBackgroundColor: "#0b63c5",
    primaryButtonFontColor: "#ffffff",
  },
  dark: {
    bodyBackgroundColor: "#0b0f14",
    headerBackgroundColor: "#131920",
    headerFontColor: "#e3e8ee",
    titleFontColor: "#e3e8ee",
    bodyFontColor: "#e3e8ee",
    bodyFontColorMuted: "#97a4b2",
    navigationFontColor: "#97a4b2",
    linkFontColor: "#6cb0ff",
    cardBackgroundColor: "#131920",
    borderColor: "#29323c",
    primaryButtonBackgroundColor: "#6cb0ff",
    primaryButtonFontColor: "#0b0f14",
  },
};

export const colorNames = Object.keys(ourColors.light) as readonly ColorName[]; // its type names them all

/** As the body names it, so that what is wrong with it is told beside it. */
export function colorField(theme: Theme, name: ColorName): string {
  return `themeColors.${theme}.${name}`;
}

/** Ours where the form has none. */
export function typedColors(form: URLSearchParams): Colors {
  const ofTheme = (theme: Theme): Colors[Theme] => {
    const typed = colorNames.map((name) => [name, form.get(colorField(theme, name)) ?? ourColors[theme][name]]);
    return Object.fromEntries(typed) as Colors[Theme]; // of every name
  };
  return { light: ofTheme("light"), dark: ofTheme("dark") };
}
