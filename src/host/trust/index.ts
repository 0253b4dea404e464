export {
  type ExecutableFiles,
  executableFiles,
  executableText,
  isOwnFile,
  PROJECT_FILE,
  projectFiles,
} from './executable-files.js'
export { TrustBook, type TrustCheck, type TrustRecord, trustProjection } from './trust-book.js'
