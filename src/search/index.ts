/*
 * Search over everything that was said, asked and started: prompts and messages of conversations,
 * commands and file names, requests, sessions and runs. The index is a file of its own beside the
 * store (`search.db`, SQLite FTS5). It is derived: the daemon follows the log, of either store, and
 * a missing or outdated file is built again.
 *
 * To make another event searchable: a case in entries.ts, and a higher FORMAT in search-index.ts.
 */
export { ENTRY_KINDS } from './entries.js'
export { SearchIndex } from './search-index.js'
