// Browser features that TypeScript 4.8 does not declare.

interface Array<T> {
  findLast(predicate: (value: T, index: number) => boolean): T | undefined;
}

declare namespace Intl {
  function supportedValuesOf(key: 'timeZone'): string[];
}

interface ScriptPolicy {
  createScriptURL(text: string): string;
}

interface Window {
  trustedTypes?: { createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy };
}

interface Document {
  /** Only in Chromium. */
  featurePolicy?: { allowsFeature(name: string): boolean };
}

/** Content of an element. An array stands for its items. */
type Child = Node | string | number | null | undefined | false | Child[];
