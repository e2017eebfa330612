/** What other sites show of a link to a page; each value becomes a meta element. */
export interface OpenGraphTag {
  property: string;
  content: string;
}

/** All addresses are absolute. */
export interface OpenGraph {
  type: "website" | "article" | "profile";
  title: string;
  description: string;
  url: string;
  image: string;
}

export function presentOpenGraph(graph: OpenGraph): OpenGraphTag[] {
  const { type, title, description, url, image } = graph;
  const tags = { type, title, description, url, image, site_name: "Suzume" };
  return Object.entries(tags)
    .filter(([, content]) => content !== "")
    .map(([name, content]) => ({ property: `og:${name}`, content }));
}
