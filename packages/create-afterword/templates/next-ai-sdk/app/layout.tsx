import { AfterwordProvider } from "@afterword/react";
import type { ReactNode } from "react";
import { currentUser } from "./current-user";

const options = {
  key: process.env.NEXT_PUBLIC_AFTERWORD_KEY!,
  baseUrl: process.env.NEXT_PUBLIC_AFTERWORD_BASE_URL!,
  linkedOnly: true, // ask about runs alone
};

export default async function Layout({ children }: { children: ReactNode }) {
  const { id } = await currentUser();
  return (
    <html lang="en">
      <body>
        <AfterwordProvider options={options} userId={id}>
          {children}
        </AfterwordProvider>
      </body>
    </html>
  );
}
