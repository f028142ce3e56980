import AppContainer
import CommandSupport
import TrendyModels
import TrendyProtocols

struct PlaceShowCommand: Command {
  static let spec = CommandSpec(
    "place show", .one("name|lat,lon", .place, "name"), summary: "Show a place, or the one nearest to a position.",
    group: .define, examples: ["place show Home", "place show 52.3702,4.8952"], columns: .placeColumns)

  private let name: String

  init(_ session: Session) { name = session.arguments.positionals[0] }

  func act(_ session: Session) throws -> OnePlace {
    let store = try session.openStore().makeStore()
    return try OnePlace(Lookup(store: store).place(name), in: store)
  }

  func show(_ answer: OnePlace, _ session: Session) -> ExitCode { answer.show(session, isDetailed: true) }
}
