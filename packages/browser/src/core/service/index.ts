export { createPost, type Post, type Reply } from "./post.ts";
export { retryAfterInMs } from "./retry-after.ts";
