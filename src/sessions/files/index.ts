/*
 * The files of a session, as people see them on the page.
 *
 * - `session-directories`: which files are of the session, for people and for its agent
 * - `uploads`: files that people give to a session, and files of its project that they download
 * - `file-tree`: the project's files, listed and searched
 * - `changes`: what the agent changed, compared, committed and discarded
 * - `shareable-diff`: the same changes without files that hold secrets
 */

export { commitAt, commitChanges, discardChanges, discardHunk, imageAt } from './changes.js'
export { findInTree, listTree } from './file-tree.js'
export type { SessionDirectories } from './session-directories.js'
export { type ShareableDiff, shareableDiff, uncommittedDiff } from './shareable-diff.js'
export { type FileLimits, openDownload, removeUploads, storeUpload } from './uploads.js'
