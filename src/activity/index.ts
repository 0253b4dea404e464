export {
  type Activity,
  type ActivityBody,
  type ActivityEnvelope,
  type ErrorClass,
  type ToolKind,
  truncateOutput,
  type UsageActivity,
} from './activity.js'
export { type JsonFrame, JsonFramer } from './json-framer.js'
export { type Chunk, mergePipes } from './merge-pipes.js'
export { type ActivityParser, readActivities, type StreamOptions } from './read-activities.js'
export { readSegment, SegmentWriter, segmentPath } from './segment.js'
export { SilenceTimeout, type WatchOptions, withSilenceTimeout } from './silence-timeout.js'
