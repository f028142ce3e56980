import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels

/// Rejected posts from trackers, as recorded by the agent and the hub.
struct RejectedPostsText {
  struct Entry {
    var device: String
    var isAtHub: Bool
    var post: RejectedPosts.Entry
    var json: JSONText
  }

  private(set) var entries: [Entry] = []
  private(set) var findings: [String] = []
  /// Error that prevented reading the hub's rejected posts, if any.
  private(set) var silence: String?

  init(_ session: Session) throws {
    let tracks = session.storeDirectory.appending(path: "tracks")
    for (device, post) in RejectedPosts(directory: tracks).load().sorted(by: { $0.key < $1.key }) {
      add(post, device: device, isAtHub: false, session)
    }
    guard let account = try session.openStore().accountFile.load() else { return }
    do {
      let answer = try NetworkProgram.answer(to: ["live", "--store", session.storeDirectory.path])
      if let error = answer.objectValue?["error"]?.objectValue {
        silence = "\(account.hubName) did not respond: \(error["message"]?.stringValue ?? "no response")."
        return
      }
      let live = try WireJSON.decode(LiveTripsResponse.self, from: WireJSON.encode(answer))
      for post in live.leftOut {
        add(
          .init(
            count: post.count, first: post.first, last: post.last, reason: post.reason,
            isHeldBySender: post.isHeldBySender),
          device: post.deviceName.isEmpty ? post.deviceId : post.deviceName, isAtHub: true, session)
      }
    } catch {
      silence = "\(account.hubName) did not respond: \(error)."
    }
  }

  private mutating func add(_ post: RejectedPosts.Entry, device: String, isAtHub: Bool, _ session: Session) {
    let json = JSONText.object([
      ("device", .string(device)), ("at", .string(isAtHub ? "hub" : "agent")), ("count", .number(post.count)),
      ("first", .string(session.local.rfc3339(post.first))), ("last", .string(session.local.rfc3339(post.last))),
      ("held_by_sender", .bool(post.isHeldBySender)), ("reason", .string(post.reason)),
    ])
    entries.append(Entry(device: device, isAtHub: isAtHub, post: post, json: json))
    let posts = post.count == 1 ? "1 post" : "\(post.count) posts"
    findings.append(
      "\(device): \(posts) rejected\(isAtHub ? " by the hub" : "") since \(session.local.dayAndTime(post.first))"
        + "\(post.isHeldBySender ? ", still queued on the device" : ""): \(post.reason)")
  }
}
