export { type ExecutableFiles, executableFiles, executableText, isOwnFile, PROJECT_FILE } from './executable-files.js'
export { projectFiles } from './project-files.js'
export { TrustBook, type TrustCheck, type TrustRecord, trustProjection } from './trust-book.js'
