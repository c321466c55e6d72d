#!/bin/sh
# AFTERWORD_SECRET_KEY=aw_sk_… AFTERWORD_BASE_URL=https://… PHOENIX_BASE_URL=http://localhost:6006 sh forward.sh
exec node_modules/.bin/afterword forward --sink phoenix
