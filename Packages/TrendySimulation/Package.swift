// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "TrendySimulation",
  platforms: [.macOS(.v15)],
  products: [.library(name: "TrendySimulation", targets: ["TrendySimulation"])],
  dependencies: [
    .package(path: "../TrendyAgent"), .package(path: "../TrendyHub"), .package(path: "../TrendyIngest"),
    .package(path: "../TrendyInterchange"), .package(path: "../TrendyModels"),
    .package(path: "../TrendyPersistence"),
    .package(path: "../TrendyProtocols"), .package(path: "../TrendySync"), .package(path: "../TrendyTesting"),
  ],
  targets: [
    .target(
      name: "TrendySimulation",
      dependencies: [
        .product(name: "HubTesting", package: "TrendyHub"),
        .product(name: "StorageTesting", package: "TrendyPersistence"), "TrendyAgent", "TrendyHub", "TrendyIngest",
        "TrendyInterchange", "TrendyModels",
        "TrendyPersistence", "TrendyProtocols", "TrendySync", "TrendyTesting",
      ]),
    .testTarget(
      name: "TrendySimulationTests",
      dependencies: [
        .product(name: "StorageTesting", package: "TrendyPersistence"), "TrendyAgent", "TrendyHub", "TrendyInterchange",
        "TrendyModels",
        "TrendyPersistence",
        "TrendyProtocols", "TrendySimulation", "TrendySync", "TrendyTesting",
      ]),
  ]
)

// Same in every manifest: upcoming features that Swift 7 will enable.
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
