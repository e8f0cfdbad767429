export const title = /books/;
