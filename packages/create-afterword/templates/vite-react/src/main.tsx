import { AfterwordProvider } from "@afterword/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Chat } from "./chat.tsx";

const options = {
  key: import.meta.env.VITE_AFTERWORD_KEY,
  baseUrl: import.meta.env.VITE_AFTERWORD_BASE_URL,
  linkedOnly: true, // ask about runs alone
};

createRoot(document.querySelector("#root")!).render(
  <StrictMode>
    <AfterwordProvider options={options}>
      <Chat />
    </AfterwordProvider>
  </StrictMode>,
);
