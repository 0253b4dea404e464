/*
 * Blobs: immutable bytes under the SHA-256 of their content, such as recordings of workers. A
 * server has them as files, in PostgreSQL or in a bucket (`blobs.url`); workers reach them through
 * their server only.
 */
export { BLOB_MAX, type BlobStore } from './blob-store.js'
export { isBlobsAway } from './blobs-away.js'
export { openBlobs } from './open-blobs.js'
