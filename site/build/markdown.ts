import type { Heading, Html, Image, Link, Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { toString } from "mdast-util-to-string";
import { gfm } from "micromark-extension-gfm";
import { visit } from "unist-util-visit";

export const parse = (text: string): Root =>
  fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });

export interface HeadingOf {
  depth: number;
  text: string;
  start: number;
  end: number;
}

export function headingsOf(text: string): HeadingOf[] {
  const headings = parse(text).children.filter((node): node is Heading => node.type === "heading");
  return headings.map((node) => ({
    depth: node.depth,
    text: toString(node),
    start: node.position!.start.offset!,
    end: node.position!.end.offset!,
  }));
}

/** The first paragraph in plain words, for pages without a description of their own. */
export function firstSentence(text: string): string {
  const paragraph = parse(text).children.find(({ type }) => type === "paragraph");
  const words = paragraph ? toString(paragraph).replaceAll(/\s+/g, " ").trim() : "";
  return /^.*?[.:](?= |$)/.exec(words)?.[0].replace(/:$/, ".") ?? words;
}

interface Edit {
  start: number;
  end: number;
  text: string;
}

export interface Rewriting {
  /** Gives the new target of a link or a picture. */
  target: (link: string) => string;
  /** Gives the target of a page that code names, such as `docs/install.md`. */
  named: (path: string) => string | undefined;
}

const comment = /^<!--[\s\S]*-->$/;

/** A picture for each theme, chosen by the site's own switch and not by the system alone. */
function pictureOfTheme(html: string): string {
  const [, dark] = /<source[^>]*srcset="([^"]+)"/.exec(html) ?? [];
  const [, image = ""] = /<img ([^>]*?)\/?>/.exec(html) ?? [];
  if (!dark || !image) return html;
  const inDark = image.trim().replace(/src="[^"]+"/, `src="${dark}"`);
  return `<img class="dark:sl-hidden" ${image.trim()} />\n<img class="light:sl-hidden" ${inDark} />`;
}

function editOfHtml({ value }: Html, rewriting: Rewriting): string {
  if (comment.test(value.trim())) return "";
  const rewritten = value.replaceAll(
    /\b(src|srcset|href)="([^"]+)"/g,
    (_, name: string, link: string) => `${name}="${rewriting.target(link)}"`,
  );
  return rewritten.includes("<picture") ? pictureOfTheme(rewritten) : rewritten;
}

/** Rewrites links, pictures and named pages, and takes comments out; everything else stays as it is written. */
export function rewrite(text: string, rewriting: Rewriting): string {
  const edits: Edit[] = [];
  visit(parse(text), (node, _, parent) => {
    const [start, end] = [node.position!.start.offset!, node.position!.end.offset!];
    if (node.type === "html") edits.push({ start, end, text: editOfHtml(node, rewriting) });
    if (node.type === "inlineCode" && parent?.type !== "link") {
      const target = /^docs\/[\w./-]*$/.test(node.value) ? rewriting.named(node.value) : undefined;
      if (target) edits.push({ start, end, text: `[\`${node.value}\`](${target})` });
    }
    if (node.type !== "link" && node.type !== "image") return;
    const { url } = node satisfies Link | Image;
    const target = rewriting.target(url);
    if (target === url) return;
    // Only the target, so that what the link contains can be rewritten too.
    const source = text.slice(start, end);
    const from = start + source.lastIndexOf(`](${url}`) + 2;
    edits.push({ start: from, end: from + url.length, text: target });
  });
  let result = text;
  for (const edit of edits.toSorted((one, other) => other.start - one.start))
    result = result.slice(0, edit.start) + edit.text + result.slice(edit.end);
  return result;
}
