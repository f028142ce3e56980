import AppContainer
import CommandSupport
import TrendyModels
import TrendyProtocols
import TrendySync

/// Preview of what each kind of sync repair would do.
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
    console.sentence("Nothing was done. Each repair makes a backup first and keeps pending changes:")
    let repairs: [(label: String, text: String)] = [
      (
        "--resync",
        "download everything from the hub again; keeps \(Quantity(counts.pending, "pending change"))"
      ),
      ("--requeue", "upload entries that the hub does not have"),
      ("--dedupe", "list \(Quantity(doubles, "duplicate event")); deletes them with --yes"),
    ]
    for line in Terminal.columns(repairs, width: console.terminal.helpWidth) { console.text(line) }
    if missing + unknown > 0 {
      let wrong = "\(Quantity(missing, "row")) missing, \(Quantity(unknown, "row")) unknown to the hub"
      console.sentence("Differences found: \(wrong). To repair both: trendy doctor --repair")
    } else {
      console.sentence("To compare this store with the hub: trendy doctor")
    }
  }
}
