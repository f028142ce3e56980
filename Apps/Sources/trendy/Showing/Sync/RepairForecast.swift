import AppContainer
import CommandSupport
import TrendyModels
import TrendyProtocols
import TrendySync

/// What each repair of the sync would do to the store.
struct RepairForecast {
  private let counts: SyncCounts
  private let digest: SyncDigest?
  private let doubles: Int

  init(_ container: AppContainer) throws {
    let store = container.makeStore()
    counts = try store.syncCounts()
    digest = try store.syncDigest()
    doubles = try Duplicates.find(among: store.fetchAllEvents()).reduce(0) { $0 + $1.doubles.count }
  }

  func show(_ console: Console) {
    let (missing, unknown) = (digest?.missing ?? 0, digest?.strays ?? 0)
    if console.isJSON {
      console.document(
        "trendy.sync_repair/1",
        [
          ("waiting", .number(counts.pending)), ("parked", .number(counts.parked)),
          ("missing_rows", .number(missing)), ("unknown_rows", .number(unknown)), ("doubles", .number(doubles)),
        ])
      return
    }
    let waiting = "\(Quantity(counts.pending, "change")) that wait\(counts.pending == 1 ? "s" : "")"
    let twice = "\(Quantity(doubles, "event")) that \(doubles == 1 ? "is" : "are") here twice"
    console.text("Nothing was done. Each of these makes a backup first, and loses nothing that waits:")
    console.text("--resync   takes everything anew from the hub; \(waiting) would be laid over it")
    console.text("--requeue  asks the hub what it has, and offers again what is here and not there")
    console.text("--dedupe   shows \(twice); removes them only with --yes")
    if missing + unknown > 0 {
      let wrong = "\(Quantity(missing, "row")) missing, \(Quantity(unknown, "row")) that no hub gave"
      console.text("Wrong here: \(wrong). Both at once: trendy doctor --repair")
    } else {
      console.text("Whether this store and the hub agree: trendy doctor")
    }
  }
}
