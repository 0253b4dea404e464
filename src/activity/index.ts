export {
  type Activity,
  type ActivityBody,
  type ActivityEnvelope,
  cutOutput,
  type ErrorClass,
  OUTPUT_MAX,
  type ToolKind,
  type UsageActivity,
} from './activity.js'
export { type Frame, JsonFramer } from './frame.js'
export { type Chunk, ingest } from './ingest.js'
export { readSegment, SegmentWriter, segmentPath } from './segment.js'
export { type ActivityParser, activities, type StreamOptions } from './stream.js'
export { Silence, type WatchOptions, watch } from './watch.js'
