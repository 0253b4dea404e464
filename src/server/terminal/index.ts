export { serveTerminals } from './upgrade.js'
