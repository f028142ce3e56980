/// Which promise of `docs/sync.md` a sentence says to be broken.
public enum Invariant: Sendable {
  /// By words that stand in the sentences of each check.
  private static let words: [(words: String, number: Int)] = [
    (" takes back ", 29), (" does again ", 29), ("and does not show it", 29), ("which was not changed since", 29),
    ("by a command that fails", 29), ("is in no queue, no journal", 1), ("does not open", 2), ("cannot be read", 2),
    ("does not start", 2),
    ("had the outcome", 3), ("what is sent as sequence", 3), ("which was not asked", 3),
    ("was asked for once", 3), ("refused as invalid", 3),
    ("cursor went back", 4), ("takes a snapshot though", 14), ("cursor is", 4), ("had said", 4),
    ("shown there again", 6), ("was deleted and lives", 6),
    ("whose deletion waits", 6), ("had restored it", 6), ("has a version", 10), ("vanished", 7), ("aside without", 7),
    ("lost to", 7), ("won over", 7),
    ("had seen it", 7), ("is stamped before", 7), ("which nobody deleted", 7), ("whoever wrote it alone", 8),
    ("is not kept there as it came", 9),
    ("waits to be sent", 10), ("and shows", 10), ("written again", 10), ("without its type", 11),
    ("before what it refers to", 11), ("which is deleted at the hub", 11), ("told that the hub was set back", 14),
    ("wait on", 17), ("still wait", 17),
    ("before the hub may be asked", 16), ("requests to come to rest", 16), ("is not at rest", 18),
    ("shows nothing of", 18), ("stream of", 18), ("open a stream", 18),
    ("in an outage", 19), ("asks two things", 21), ("asked the hub nothing", 21), ("imported a second time", 23),
    ("differs", 24), ("is at the hub and not", 24), ("and not at the hub", 24), ("otherwise than the hub", 24),
    ("the feed gives", 5), ("the feed of the hubs", 5),
    ("without their rows", 24), ("that nobody gave it", 24), ("taken for two", 25),
    ("that tracker", 27), ("a quiet hub", 27), ("person wrote into a finding", 27), ("person deleted is there", 27),
    ("what was posted", 27), ("to what tracker", 27), ("webhook's receiver", 28), ("comes next", 26),
    ("never took", 26), ("carry what companions", 26), ("companions cannot", 26),
  ]

  /// `nil` for a sentence that is about the world and no invariant.
  public static func number(of sentence: String) -> Int? {
    words.first { sentence.contains($0.words) }?.number
  }
}
