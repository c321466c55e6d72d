import { instance, viteConfig, watcher, type Given, type Snippet } from "./snippet.ts";

const module = (given: Given): Snippet => ({
  file: "src/afterword.ts",
  code: `import { createAfterword } from "@afterword/browser";
import { defineThumbsElement } from "@afterword/browser/thumbs";

export const afterword = ${instance(given)}defineThumbsElement(afterword.rate);
`,
});

const answerType = `interface Answer {
  text: string;
  run: { tokens: Record<string, string>; sessionId: string };
}
`;

export const vue = (given: Given): Snippet[] => [
  module(given),
  {
    file: "src/chat.vue",
    code: `<script setup lang="ts">
import { ref } from "vue";
import { afterword } from "./afterword";

${answerType}
const answers = ref<Answer[]>([]);
const question = ref("");

async function ask() {
  const body = JSON.stringify({ question: question.value, visitor: afterword.respondent()?.id });
  const headers = { "content-type": "application/json" };
  const reply = await fetch("/api/answer", { method: "POST", headers, body });
  answers.value.push((await reply.json()) as Answer);
}
</script>

<template>
  <article v-for="{ text, run } in answers" :key="run.sessionId">
    <p>{{ text }}</p>
    <afterword-thumbs survey-id="answer" :session-id="run.sessionId" :token="run.tokens['answer']" />
  </article>
  <form @submit.prevent="ask">
    <label>Your question <input v-model="question" required /></label>
    <button>Ask</button>
  </form>
</template>
`,
  },
  viteConfig(
    'import vue from "@vitejs/plugin-vue";',
    'vue({ template: { compilerOptions: { isCustomElement: (tag) => tag.startsWith("afterword-") } } })',
  ),
  watcher(given),
];

export const svelte = (given: Given): Snippet[] => [
  module(given),
  {
    file: "src/chat.svelte",
    code: `<script lang="ts">
import { afterword } from "./afterword";

${answerType}
let answers = $state<Answer[]>([]);
let question = $state("");

async function ask(event: SubmitEvent) {
  event.preventDefault();
  const body = JSON.stringify({ question, visitor: afterword.respondent()?.id });
  const headers = { "content-type": "application/json" };
  const reply = await fetch("/api/answer", { method: "POST", headers, body });
  answers.push((await reply.json()) as Answer);
}
</script>

{#each answers as { text, run } (run.sessionId)}
  <article>
    <p>{text}</p>
    <afterword-thumbs survey-id="answer" session-id={run.sessionId} token={run.tokens["answer"]}></afterword-thumbs>
  </article>
{/each}
<form onsubmit={ask}>
  <label>Your question <input bind:value={question} required /></label>
  <button>Ask</button>
</form>
`,
  },
  viteConfig('import { svelte } from "@sveltejs/vite-plugin-svelte";', "svelte()"),
  watcher(given),
];
