/*
 * Backups of a home directory: one file (tar, compressed with gzip) with a copy of the SQLite store
 * that was made in one transaction, recordings, blobs, uploads and settings, and a manifest with
 * the SHA-256 of each file. The database of a PostgreSQL store is backed up with its own tools.
 */
export { type BackupPaths, restoreBackup, verifyBackup, writeBackup } from './backup.js'
