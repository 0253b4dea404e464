export { type ExecutableFiles, executableFiles, executableText, isOwnFile, PROJECT_FILE } from './executable-files.js'
export { executableProject } from './executable-project.js'
export { type TrustCheck, type TrustRecord, TrustStore, trustProjection } from './trust-store.js'
