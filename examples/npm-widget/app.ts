import { createAfterword } from "@afterword/browser";

declare const SERVICE: { key: string; baseUrl: string };

const afterword = createAfterword({ ...SERVICE, theme: "light" });
afterword.identify("mara", { plan: "pro" });

document.querySelector("button")!.addEventListener("click", () => {
  afterword.ask("ease", { openedByPerson: true });
});
afterword.on("submitted", ({ rating, result }) => {
  document.querySelector("[role=status]")!.textContent = `${rating} is ${result}.`;
});
