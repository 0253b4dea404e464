export { serveTerminals } from './upgrade.js'
export { WorkerTerminals } from './worker-terminals.js'
