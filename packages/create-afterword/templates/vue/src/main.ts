/// <reference types="@afterword/browser/types/vue" />
import { createApp } from "vue";
import Chat from "./chat.vue";

createApp(Chat).mount("main");
