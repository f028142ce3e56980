import TrendyFoundation
public import TrendyModels

/// Content of one request from a tracker.
public struct DeviceBatch: Hashable, Sendable {
  /// Fixes in chronological order, possibly including fixes that the tracker has sent before.
  public var fixes: [Location] = []
  /// Motion samples.
  public var activities: [MotionActivity] = []
  /// Device name in the request, or `nil` if it is missing or empty.
  public var device: String?
  /// Problems with the first 100 rejected items.
  public var problems: [ImportProblem] = []
  /// Total number of rejected items.
  public var problemCount = 0
  /// Number of messages that are not positions, by message type.
  public var skippedMessages: [String: Int] = [:]

  /// Number of OwnTracks messages with end-to-end encryption, which cannot be read.
  public var encryptedMessages: Int { skippedMessages[OwnTracksReader.encryptedKind] ?? 0 }

  /// Advice for users whose app sends encrypted messages.
  public static let encryptionAdvice =
    "the message is encrypted and cannot be decrypted: turn off encryption in the app (empty encryption key) and use TLS instead"

  /// Creates an empty batch.
  public init() {}

  init(_ file: TrackFile) {
    fixes = file.locations.sorted { $0.timestamp < $1.timestamp }
    activities = file.activities
    device = file.tracks.lazy.compactMap(\.name).first
    problems = file.problems
    problemCount = file.problemCount
    skippedMessages = file.skippedMessages
  }
}

extension TrackFile {
  /// Contents of the file by device, as if each device had sent its own file. Motion samples belong to the first
  /// device.
  public var batchesByDevice: [(device: String, batch: DeviceBatch)] {
    var byDevice: [String: DeviceBatch] = [:]
    var order: [String] = []
    for track in tracks {
      // In other formats, users choose the names of tracks, so track names do not identify devices.
      let device = namesDevices ? track.name ?? "" : ""
      if byDevice[device] == nil { order.append(device) }
      byDevice[device, default: DeviceBatch()].fixes += track.segments.flatMap(\.locations)
    }
    if order.isEmpty { order = [""] }
    var first = byDevice[order[0]] ?? DeviceBatch()
    first.activities = activities
    first.problems = problems
    first.problemCount = problemCount
    byDevice[order[0]] = first
    return order.map { ($0, byDevice[$0] ?? DeviceBatch()) }
  }

  private var namesDevices: Bool {
    switch format {
    case .overland, .ownTracks, .ownTracksRecording: true
    default: false
    }
  }
}
