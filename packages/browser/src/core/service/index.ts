export { createPost, retryAfterInMs, type Post, type Reply } from "./post.ts";
