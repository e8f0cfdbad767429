"use strict";
const { copyFileSync, mkdirSync } = require("node:fs");
const path = require("node:path");
const known = require("./job.cjs");

const replaced = new WeakSet();
let count = 0;

/**
 * The browser may not read the script's folder: what is to be uploaded is put where it may. Versions keep their classes in different files;
 * each has them behind its pages.
 */
module.exports = function copyUploads(page) {
  const frames = Object.getPrototypeOf(page.mainFrame());
  if (replaced.has(frames)) return;
  copyFiles(frames, 1);
  const ofHandle = (handle) => {
    if (handle?.asElement?.() != null) copyFiles(Object.getPrototypeOf(handle), 0);
    return handle;
  };
  for (const name of ["$", "waitForSelector"]) {
    const find = frames[name];
    frames[name] = async function (...given) {
      return ofHandle(await find.apply(this, given));
    };
  }
  const pages = Object.getPrototypeOf(page);
  const { emit } = pages;
  pages.emit = function (event, ...given) {
    if (event === "filechooser") ofHandle(given[0].element());
    return emit.call(this, event, ...given);
  };
};

/** @param at which argument of `setInputFiles` names the files */
function copyFiles(prototype, at) {
  if (replaced.has(prototype)) return;
  replaced.add(prototype);
  const { setInputFiles } = prototype;
  prototype.setInputFiles = function (...given) {
    given[at] = Array.isArray(given[at]) ? given[at].map(copied) : copied(given[at]);
    return setInputFiles.apply(this, given);
  };
}

/** Files that are given as bytes stay as they are. */
function copied(file) {
  if (typeof file !== "string") return file;
  const place = path.join(known.job.run, "tmp", `upload-${(count += 1)}`);
  mkdirSync(place, { recursive: true });
  copyFileSync(file, path.join(place, path.basename(file)));
  return path.join(place, path.basename(file));
}
