/** Who is signed in. Stands in for your authentication. */
export const currentUser = async () => ({ id: "user-4711" });
