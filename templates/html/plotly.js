"use strict";
// A page that opened this one in a frame is given the library; it runs it only when it is the one that it knows.
if (parent !== window) parent.postMessage(document.getElementById("plotly").textContent, "*");
