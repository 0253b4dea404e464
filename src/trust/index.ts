/*
 * Which files of a project may be executed. A project's own files never decide that: a person
 * trusts them by content, and a changed file must be trusted again.
 *
 * - executable-files.ts, executable-project.ts: the files that a workflow, or an agent working in
 *   the project, would run.
 * - trust-store.ts: what people have trusted (`TrustStore`).
 */

export {
  type ExecutableFiles,
  executableFiles,
  executableHashes,
  executableModule,
  executableText,
  isOwnFile,
  PROJECT_FILE,
} from './executable-files.js'
export { executableProject } from './executable-project.js'
export { type TrustCheck, TrustStore, trustProjection } from './trust-store.js'
