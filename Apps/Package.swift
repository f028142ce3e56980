// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Apps",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "trendy", targets: ["trendy"])
  ],
  dependencies: [
    .package(path: "../Packages/TrendyAgent"),
    .package(path: "../Packages/TrendyArchive"),
    .package(path: "../Packages/TrendyHub"),
    .package(path: "../Packages/TrendyHubPostgres"),
    .package(path: "../Packages/TrendyIngest"),
    .package(path: "../Packages/TrendyInsights"),
    .package(path: "../Packages/TrendyInterchange"),
    .package(path: "../Packages/TrendyModels"),
    .package(path: "../Packages/TrendyNetworking"),
    .package(path: "../Packages/TrendyPersistence"),
    .package(path: "../Packages/TrendyProtocols"),
    .package(path: "../Packages/TrendySync"),
    .package(path: "../Packages/TrendyTesting"),
    .package(path: "../Packages/TrendyTrips"),
  ],
  targets: [
    .target(
      name: "AgentLink", dependencies: ["CommandSupport", "TrendyAgent", "TrendyInsights", "TrendyModels"]),
    .testTarget(
      name: "AgentLinkTests",
      dependencies: ["AgentLink", "CommandSupport", "TrendyAgent", "TrendyModels", "TrendyTesting"]),
    .target(
      name: "AppContainer",
      dependencies: [
        "AgentLink", "CommandSupport", "TrendyAgent", "TrendyInterchange", "TrendyModels", "TrendyPersistence",
        "TrendyProtocols", "TrendySync",
      ]),
    .target(name: "CommandSupport", dependencies: ["TrendyModels"]),
    .testTarget(name: "CommandSupportTests", dependencies: ["CommandSupport", "TrendyModels"]),
    .target(
      name: "HubContainer",
      dependencies: [
        "CommandSupport", "TrendyAgent", "TrendyHub", "TrendyHubPostgres", "TrendyIngest", "TrendyModels",
        "TrendyPersistence", "TrendyProtocols",
      ]),
    .target(
      name: "NetworkContainer",
      dependencies: [
        "AgentLink", "AppContainer", "CommandSupport", "TrendyAgent", "TrendyModels", "TrendyNetworking",
        "TrendyProtocols",
        "TrendySync",
      ]),
    .target(name: "SampleRecord", dependencies: ["TrendyModels", "TrendyTrips"]),
    .testTarget(name: "SampleRecordTests", dependencies: ["SampleRecord", "TrendyInsights", "TrendyModels"]),
    .executableTarget(
      name: "trendy",
      dependencies: [
        "AgentLink", "AppContainer", "CommandSupport", "SampleRecord", "TrendyAgent", "TrendyArchive",
        "TrendyInsights",
        "TrendyInterchange", "TrendyModels", "TrendyPersistence", "TrendyProtocols", "TrendySync", "TrendyTrips",
      ]),
    .executableTarget(
      name: "trendy-demo", dependencies: ["TrendyInterchange", "TrendyModels", "TrendyTrips"]),
    .executableTarget(
      name: "trendyd",
      dependencies: [
        "AgentLink", "AppContainer", "CMalloc", "CommandSupport", "HubContainer", "NetworkContainer", "TrendyAgent",
        "TrendyHub", "TrendyIngest", "TrendyInterchange", "TrendyModels", "TrendyNetworking", "TrendyPersistence",
        "TrendyProtocols", "TrendySync",
      ]),
    .testTarget(
      name: "ProgramTests",
      dependencies: [
        "AgentLink", .product(name: "PostgresTesting", package: "TrendyHubPostgres"), "TrendyModels",
        "TrendyPersistence", "TrendyProtocols", "trendy", "trendy-demo", "trendyd",
      ]),
  ]
)

// `trendy` is linked statically, because loading five shared libraries took 40 percent of the time of `trendy --help`.
// The command needs neither the network nor user names. It remains position-independent. A static executable with a
// library search path does not start, so the Makefile sets --disable-local-rpath.
if Context.environment["TRENDY_LINKING"] == "static", let trendy = package.targets.first(where: { $0.name == "trendy" })
{
  trendy.linkerSettings = [
    .unsafeFlags(
      [
        "-static-executable", "-use-ld=lld", "-Xclang-linker", "-static-pie", "-Xlinker", "-z", "-Xlinker",
        "pack-relative-relocs",
      ], .when(platforms: [.linux]))
  ]
}

// Upcoming features that Swift 7 will enable. All manifests contain this list.
let swiftSeven: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),  // `any` marks dynamic dispatch
  .enableUpcomingFeature("InternalImportsByDefault"),  // `public import` only for modules in the public API
  .enableUpcomingFeature("MemberImportVisibility"),  // each file imports what it uses
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // async functions run on the caller's actor
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  .treatWarning("ExplicitSendable", as: .error),  // every public type states whether it is Sendable
]
for target in package.targets { target.swiftSettings = (target.swiftSettings ?? []) + swiftSeven }

// Added after the loop, because a C target does not accept Swift settings.
package.targets.append(.systemLibrary(name: "CMalloc"))
