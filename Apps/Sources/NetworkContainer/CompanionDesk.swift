import AgentLink
public import TrendyAgent
import AppContainer
import CommandSupport
public import TrendyModels
import TrendyNetworking

/// Says who of a person's devices tells whom, at the hub and here.
public struct CompanionDesk: Sendable {
  private let client: APIClient
  private let courier: CompanionCourier
  private let app: AppContainer
  private let deviceId: String

  public init(network: NetworkContainer, account: Account) throws {
    client = try network.makeAPIClient(for: account)
    courier = try network.makeCourier(for: account)
    app = network.app
    deviceId = account.deviceId
  }

  /// A device of the person's, by its name or id.
  public func device(named name: String) async throws -> APIDevice {
    let others = try await client.devices().filter { !$0.isCurrent }
    let named = others.filter { $0.id == name || $0.name.lowercased() == name.lowercased() }
    guard let device = named.first else {
      throw CommandError(
        "No other device of yours is called '\(name)'",
        hint: others.isEmpty
          ? "Connect one first: trendyd pair at the hub, then trendy connect on it."
          : "There are: \(others.map(\.name).sorted().joined(separator: ", ")).", exit: .notFound)
    }
    guard named.count == 1 else {
      throw CommandError(
        "\(named.count) devices are called '\(name)'",
        hint: "Say which by its id: \(named.map(\.id).sorted().joined(separator: ", "))", exit: .usage)
    }
    return device
  }

  /// Lets the device be told by this one, from now on.
  public func pair(_ device: APIDevice) async throws {
    _ = try await client.makeCompanion(deviceId: device.id)
    _ = try await courier.round()
    app.agent.send()
  }

  /// Lets this device be told of another's trips, which need not run anything for it: the hub tells of what it posts.
  public func follow(_ device: APIDevice) async throws {
    _ = try await client.makeCompanion(ofDevice: device.id)
    _ = try await courier.round()
    app.agent.send()
  }

  /// - Returns: how many ways between the two were ended; the hub's own is part of the device's.
  public func remove(deviceNamed name: String) async throws -> Int {
    let companions = try await client.companions().filter {
      !$0.isRemoved && APICompanion.device(of: $0.trackerId) == $0.trackerId
    }
    let meant = companions.filter { companion in
      let other =
        companion.trackerId == deviceId
        ? (companion.companionId, companion.companionName) : (companion.trackerId, companion.trackerName)
      return other.0 == name || other.1.lowercased() == name.lowercased()
    }
    guard !meant.isEmpty else {
      throw CommandError(
        "'\(name)' and this device tell each other nothing", hint: "trendy companion list shows who does.",
        exit: .notFound)
    }
    for companion in meant { try await client.removeCompanion(id: companion.id) }
    _ = try await courier.round()
    app.agent.send()
    return meant.count
  }

  public func list() async throws -> (devices: [APIDevice], companions: [APICompanion]) {
    (try await client.devices().sorted { ($0.name, $0.id) < ($1.name, $1.id) }, try await client.companions())
  }
}
