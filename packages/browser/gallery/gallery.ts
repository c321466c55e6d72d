const types = ["nps", "csat", "ces", "pmf"];
const places = ["corner", "banner", "banner bottom", "inline"];
const draft = (rating: number, text = "") => `&draft=${encodeURIComponent(JSON.stringify({ rating, text }))}`;

/** The address part of every state worth looking at. */
function states(): string[] {
  const asked = places.flatMap((place) => types.map((type) => `type=${type}&place=${place}`));
  const rated = types.map((type) => `type=${type}${draft(type === "nps" ? 4 : 2, "It took a while.")}`);
  const results = ["never", "stored", "queued", "already", "refused"].map(
    (result) => `${draft(4)}&result=${result}`,
  );
  const compact = types.map((type) => `type=${type}&density=compact${draft(1)}`);
  const arabic = places.map((place) => `language=ar&place=${place}${draft(2)}`);
  const votes = ["open", "up", "down", "up stored", "up queued", "up earlier"].map(
    (vote) => `thumbs=${vote}`,
  );
  const thumbs = [...votes, "thumbs=down&language=ar"];
  const all = [...asked, ...rated, ...results, ...compact, ...arabic, ...thumbs];
  return [...all, ...all.map((state) => `${state}&theme=dark&page=dark`)];
}

const list = document.createElement("div");
list.className = "states";
for (const state of states()) {
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  const frame = document.createElement("iframe");
  const link = document.createElement("a");
  link.href = frame.src = `/state?${state}`;
  frame.loading = "lazy";
  frame.title = link.textContent = decodeURIComponent(state);
  caption.append(link);
  figure.append(caption, frame);
  list.append(figure);
}
document.body.append(list);
