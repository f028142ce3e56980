import TrendyFoundation
public import TrendyModels

/// What one request of a device brought.
public struct DeviceBatch: Hashable, Sendable {
  /// In the order of time; one that was sent before is among them again.
  public var fixes: [Location] = []
  public var activities: [MotionActivity] = []
  /// What the request calls its device; `nil` where it does not, or calls it nothing.
  public var device: String?
  /// The first hundred things that could not be taken.
  public var problems: [ImportProblem] = []
  /// How many there were in all.
  public var problemCount = 0
  /// Messages that are no positions, by their kind.
  public var skippedMessages: [String: Int] = [:]

  /// Messages of OwnTracks whose content only the sender's friends can read.
  public var encryptedMessages: Int { skippedMessages[OwnTracksReader.encryptedKind] ?? 0 }

  /// What to do about them.
  public static let encryptionAdvice =
    "the message is encrypted, and this end has no key: turn encryption off in the app (an empty encryption key); TLS protects the way"

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
  /// What a file holds, as the devices it names would have sent it; readings of motion go with the first.
  public var batchesByDevice: [(device: String, batch: DeviceBatch)] {
    var byDevice: [String: DeviceBatch] = [:]
    var order: [String] = []
    for track in tracks {
      // Tracks that a person named are parts of one log; messages name their device.
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
