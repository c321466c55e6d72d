import { AfterwordProvider } from "@afterword/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Chat } from "./chat.tsx";

const { VITE_AFTERWORD_KEY: key, VITE_AFTERWORD_BASE_URL: baseUrl } = import.meta.env;

createRoot(document.querySelector("#root")!).render(
  <StrictMode>
    <AfterwordProvider options={{ key, baseUrl, linkedOnly: true }}>
      <Chat />
    </AfterwordProvider>
  </StrictMode>,
);
