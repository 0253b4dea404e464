export { type ExecutableFiles, executableFiles, executableText, isOwnFile, PROJECT_FILE } from './executable-files.js'
export { executableProject } from './executable-project.js'
export { TrustBook, type TrustCheck, type TrustRecord, trustProjection } from './trust-store.js'
